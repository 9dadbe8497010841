"""Site messages: messages of users and of Postern itself in the console, and subscriptions to them."""
