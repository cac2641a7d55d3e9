"""Files shown as HTML that can do no harm: a page of the viewer, or the output of a cell."""
