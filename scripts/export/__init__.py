"""From records and samples to the files and stores of other tools.

records and samples -> runs -> one of the formats -> output
"""
