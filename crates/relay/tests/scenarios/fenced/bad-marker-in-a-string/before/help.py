HELP = ""
old = 1
