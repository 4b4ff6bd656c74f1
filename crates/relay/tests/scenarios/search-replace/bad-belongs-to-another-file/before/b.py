X = 1
def only_in_b():
    return 1
