"""What `longstop doctor` looks at: small functions, each of which finds one thing."""
