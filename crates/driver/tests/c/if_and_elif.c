//= termination holds
#define KIND 2
#if KIND == 1
int main() { while (1) ; }
#elif KIND == 2 || KIND == 3
int main() { int x = 3; while (x) x--; return 0; }
#else
#error "unknown kind"
#endif
