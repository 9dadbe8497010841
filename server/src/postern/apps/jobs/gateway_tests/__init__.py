"""Whether gateways let connections through."""
