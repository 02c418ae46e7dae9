// SPDX-License-Identifier: BSD-3-Clause
// Grains are triangles that face the viewer; each pixel of one finds where its ray meets the sphere. So
// a sphere costs three vertices and is round at any size. Rods are prisms with the normals of cylinders.

/** Spheres in a row of the textures that have their places and colours. */
export const rowLength = 2048;

const common = `
precision highp float;
uniform vec3 paper;
uniform vec2 fog; // distance at which it begins, and one over its depth
vec3 light(vec3 colour, vec3 n, float depth, float amount) {
    float shade = 0.58 + 0.47 * max(dot(n, normalize(vec3(-0.45, 0.6, 0.85))), 0.0);
    shade *= mix(0.55, 1.0, smoothstep(0.0, 0.45, n.z));
    vec3 lit = colour * shade;
    return mix(lit, paper, amount * clamp((depth - fog.x) * fog.y, 0.0, 1.0));
}
`;

export const sphereVertex = `
precision highp float;
uniform mat4 viewMatrix, projectionMatrix;
uniform bool parallel;
uniform highp sampler2D places; // centre and radius
uniform highp sampler2D paints;
out vec3 place, middle, paint;
out float size;
void main() {
    int i = gl_VertexID / 3, k = gl_VertexID - 3 * i;
    ivec2 at = ivec2(i % ${rowLength}, i / ${rowLength});
    vec4 sphere = texelFetch(places, at, 0);
    middle = (viewMatrix * vec4(sphere.xyz, 1.0)).xyz;
    size = sphere.w;
    paint = texelFetch(paints, at, 0).rgb;
    vec2 corner = 1.06 * (k == 0 ? vec2(0.0, 2.0) : vec2(k == 1 ? -1.7320508 : 1.7320508, -1.0)); // around a circle of radius 1
    if (parallel) place = middle + size * vec3(corner, 0.0);
    else {
        float d = length(middle);
        vec3 w = middle / d, u = normalize(cross(w, vec3(0.0, 1.0, 0.0))), v = cross(u, w);
        place = middle + size * d / sqrt(max(d * d - size * size, 1e-9)) * (corner.x * u + corner.y * v);
    }
    gl_Position = projectionMatrix * vec4(place, 1.0);
}`;

export const sphereFragment = `${common}
uniform mat4 projectionMatrix;
uniform bool parallel;
uniform float haze;
in vec3 place, middle, paint;
in float size;
out vec4 result;
void main() {
    vec3 from = parallel ? vec3(place.xy, 0.0) : vec3(0.0), way = parallel ? vec3(0.0, 0.0, -1.0) : normalize(place);
    vec3 to = from - middle;
    float b = dot(to, way);
    float beside = length(to - b * way);
    float edge = (size - beside) / max(fwidth(beside), 1e-9) + 0.5;
    if (edge <= 0.0) discard;
    float t = -b - sqrt(max(size * size - beside * beside, 0.0));
    vec3 hit = from + t * way, n = (hit - middle) / size;
    vec4 clip = projectionMatrix * vec4(hit, 1.0);
    gl_FragDepth = 0.5 * clip.z / clip.w + 0.5;
    result = vec4(light(paint, n, -hit.z, haze), min(edge, 1.0));
}`;

export const rodVertex = `
precision highp float;
uniform mat4 viewMatrix, projectionMatrix;
in vec3 position; // around the axis, and along it
in vec3 a, b;
in float radius;
in vec4 colour;
out vec3 paint, normal;
out float depth;
void main() {
    vec3 from = (viewMatrix * vec4(a, 1.0)).xyz, to = (viewMatrix * vec4(b, 1.0)).xyz;
    vec3 w = normalize(to - from), u = normalize(cross(w, abs(w.z) < 0.9 ? vec3(0.0, 0.0, 1.0) : vec3(1.0, 0.0, 0.0)));
    normal = position.x * u + position.y * cross(w, u);
    paint = colour.rgb;
    vec3 place = mix(from, to, position.z) + radius * normal;
    depth = -place.z;
    gl_Position = projectionMatrix * vec4(place, 1.0);
}`;

export const rodFragment = `${common}
uniform float haze;
in vec3 paint, normal;
in float depth;
out vec4 result;
void main() {
    result = vec4(light(paint, normalize(normal), depth, haze), 1.0);
}`;

export const lineVertex = `
precision highp float;
uniform mat4 viewMatrix, projectionMatrix;
in vec3 position;
void main() {
    gl_Position = projectionMatrix * viewMatrix * vec4(position, 1.0);
}`;

/** A wall can be seen through; several before each other are darker. */
export const wallFragment = `
precision highp float;
uniform vec3 ink;
out vec4 result;
void main() {
    result = vec4(ink, 0.14);
}`;

export const lineFragment = `
precision highp float;
uniform vec3 ink;
out vec4 result;
void main() {
    result = vec4(ink, 1.0);
}`;
