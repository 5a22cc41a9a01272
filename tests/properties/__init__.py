"""What holds whatever the input: slower, and by hypothesis."""
