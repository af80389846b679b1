"""Line-ups before kickoff: the service that captures one match, and the scheduler that captures all in time."""
