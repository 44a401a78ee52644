"""Many runs, simulated or live: judged, counted, made small."""
