package main

func main() {
	run()
	stop()
}
