#define CAT(a,b) a##b
#define STR(x) #x
#define DECL(n) byte CAT(v_,n) = n
DECL(1); DECL(2);
active proctype P() { v_1 = v_2 + 3; printf(STR(hello %d), v_1); CAT(v,_2)++ }
