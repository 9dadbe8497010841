"""What a proxy needs to start a remote app on its Windows host."""
