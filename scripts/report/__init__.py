"""From records to charts and a page: reads the results of runs, measures nothing.

records -> comparisons -> (samples -> series) -> figure (PNG, SVG) and charts -> page
"""
