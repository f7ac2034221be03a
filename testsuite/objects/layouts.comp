// Members of every kind, with the names that C and C++ do not have, or have already.
#version 450
layout(local_size_x = 1) in;

struct Light { vec3 position; float power; uvec2 id; };
struct Odd { float alone; };

layout(std140, set = 0, binding = 0) uniform Std140 {
    float a;
    vec3 b;
    float c[3];
    vec2 d[2];
    mat3 e;
    layout(row_major) mat2x3 f;
    Light g[2];
    Odd h[2];
    ivec4 private;
    uint last;
} u;

layout(std430, set = 0, binding = 1) readonly buffer Std430 {
    vec3 a;
    float b;
    float c[3];
    vec3 d[2];
    mat2 e;
    mat4x3 f;
    Light g;
    Odd h[2];
    uint count;
    Light lights[];
} s;

layout(std430, set = 0, binding = 2) buffer Result { float value[]; } result;
layout(std430, set = 0, binding = 3) readonly buffer register { vec3 points[]; } points[2];
layout(push_constant) uniform Push { float NULL; vec2 virtual; mat2 m; };

uint at = 0;

void put(float v) { result.value[at++] = v; }
void put2(vec2 v) { put(v.x); put(v.y); }
void put3(vec3 v) { put2(v.xy); put(v.z); }
void putLight(Light l) { put3(l.position); put(l.power); put2(vec2(l.id)); }

void main() {
    put(u.a); put3(u.b);
    for (int i = 0; i < 3; i++) put(u.c[i]);
    for (int i = 0; i < 2; i++) put2(u.d[i]);
    for (int i = 0; i < 3; i++) put3(u.e[i]);
    for (int i = 0; i < 2; i++) put3(u.f[i]);
    for (int i = 0; i < 2; i++) putLight(u.g[i]);
    for (int i = 0; i < 2; i++) put(u.h[i].alone);
    for (int i = 0; i < 4; i++) put(float(u.private[i]));
    put(float(u.last));
    put3(s.a); put(s.b);
    for (int i = 0; i < 3; i++) put(s.c[i]);
    for (int i = 0; i < 2; i++) put3(s.d[i]);
    for (int i = 0; i < 2; i++) put2(s.e[i]);
    for (int i = 0; i < 4; i++) put3(s.f[i]);
    putLight(s.g);
    for (int i = 0; i < 2; i++) put(s.h[i].alone);
    put(float(s.count));
    for (int i = 0; i < s.lights.length(); i++) putLight(s.lights[i]);
    for (int i = 0; i < points[1].points.length(); i++) put3(points[1].points[i]);
    put(NULL); put2(virtual); put2(m[0]); put2(m[1]);
}
