//= termination holds
int main() { char buf[6] = "hello"; int i = 0; while (buf[i] != '\0') i++; return i; }
