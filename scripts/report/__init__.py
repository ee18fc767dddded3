"""From records to charts and a page: reads what runs left behind, measures nothing.

records -> comparisons -> (samples -> series) -> figure (PNG, SVG) and charts -> page
"""
