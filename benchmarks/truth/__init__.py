"""Videos whose every text is known to the frame, because this package drew them: `make_clip(kind, seed, folder)` writes one and its truth.

What a reader makes of them can be counted (`benchmarks/screen_truth.py`), which no real recording allows: nobody has written down every
text of one. Same kind and seed, same fonts: same video. The texts are legible by construction: small print is not encoded coarsely.
"""
