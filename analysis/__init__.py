"""From stored replies to scores, contrasts and tables."""
