"""Tables that live members show, validated by the edits of `ownership`."""
