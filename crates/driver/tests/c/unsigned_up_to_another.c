//= termination holds
int main() { unsigned int x = __VERIFIER_nondet_uint(), y = __VERIFIER_nondet_uint(); while (x < y) { x++; } }
