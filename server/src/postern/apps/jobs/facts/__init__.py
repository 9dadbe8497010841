"""What assets say about themselves: hardware and operating system."""
