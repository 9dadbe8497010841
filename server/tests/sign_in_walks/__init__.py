"""Random walks: sequences of sign-in steps on the product, compared with an independent oracle."""
