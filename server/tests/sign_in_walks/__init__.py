"""Random walks through the sign-ins of the product, judged by an oracle of their own."""
