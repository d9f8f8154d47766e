//= termination holds
int main() { int n = nondet(), lo = 0, hi = n, mid; while (lo < hi) { mid = (lo + hi) / 2; if (nondet()) lo = mid + 1; else hi = mid; } return lo; }
