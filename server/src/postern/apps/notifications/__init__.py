"""Site messages: what people and Postern itself tell people in the console, and who is told what."""
