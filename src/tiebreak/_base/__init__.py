"""What every part builds on: specs such as "RBP(p=0.8)@20", catalogues, border checks, text helpers."""
