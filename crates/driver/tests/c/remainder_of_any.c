//= p holds
//@ ctl p: AG(EF(x == 0));
int main() { int x = rand() % 10; while (1) { if (x > 0) x--; else x = rand() % 5; } }
