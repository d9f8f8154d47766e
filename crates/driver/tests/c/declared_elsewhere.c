//= termination holds
extern int get_input(void);
int main() { int x = get_input(); while (x > 0) x--; return 0; }
