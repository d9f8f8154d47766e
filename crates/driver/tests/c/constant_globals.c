//= termination holds
static const int LIMIT = 7; const unsigned char K = 3;
int main() { int i; for (i = 0; i < LIMIT * K; i++); return 0; }
