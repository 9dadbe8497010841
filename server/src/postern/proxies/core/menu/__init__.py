"""The asset menu: what is listed and what an answer means, without any terminal."""
