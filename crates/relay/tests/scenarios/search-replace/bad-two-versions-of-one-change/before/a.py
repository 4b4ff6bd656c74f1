if x:
    foo()
end
