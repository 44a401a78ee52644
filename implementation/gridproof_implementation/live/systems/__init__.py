"""What each live system is asked, and what is needed for that: a folder a system."""
