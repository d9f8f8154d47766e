//= termination holds
int g = 10;
int dec(int v, int by) { if (by <= 0) return v - 1; return v - by; }
int clamp(int v) { return v < 0 ? 0 : v; }
int step(int v) { return clamp(dec(v, g)); }
int main() { int x = nondet(); while (x > 0) { x = step(x); g = g - 1; } return x; }
