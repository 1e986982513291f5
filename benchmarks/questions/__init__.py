"""Questions with known answers over known evidence, put to each kind of provider from the prompt to the validated claims."""
