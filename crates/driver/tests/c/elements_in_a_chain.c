//= termination holds
int main() { int flag[2] = {0, 0}, turn = 0, k = nondet_int(); while (k > 0) { flag[turn] = 1; turn = 1 - turn; if (flag[0] && flag[1]) { k--; flag[0] = flag[1] = 0; } } }
