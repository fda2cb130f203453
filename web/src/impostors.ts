// Round things as what they look like instead of what they are: a quad each, turned to the eye, on which the shader draws a
// shaded ball, rod, ellipsoid or cylinder. Four vertices instead of hundreds, and round at any distance: software
// rendering, where vertices are dear, draws a thousand in time. Light is that of three's Lambert material, so they match the
// meshes beside them.
import { BufferGeometry, DoubleSide, Float32BufferAttribute, ShaderMaterial, type Color, type IUniform, type Vector2, type Vector3 } from "three";
import { withMatrices } from "./batch";
import { END_ITEMS, SURFACE, SURFACE_HEAD } from "./line-drawing";

// In axes of the view: x to the right, y up, z to the eye.
export interface Light { up: Vector3; lamp: Vector3; ground: Color; sky: number; strength: number }

function uniforms(light: Light): Record<string, IUniform> {
    return { up: { value: light.up }, lamp: { value: light.lamp }, ground: { value: light.ground }, sky: { value: light.sky }, strength: { value: light.strength } };
}

const SHADE = `
    ${SURFACE_HEAD}
    uniform vec3 up, lamp, ground;
    uniform float sky, strength;
    vec3 shade(vec3 tint, vec3 n) {
        vec3 around = mix(ground, vec3(1.0), 0.5 * dot(n, up) + 0.5) * sky;
        return tint * (around + strength * max(dot(n, lamp), 0.0)) * 0.3183099;
    }`;

const END = `
        #include <colorspace_fragment>
        gl_FragColor.rgb *= gl_FragColor.a; // as the canvas has it
        if (lines > 0.5 && gl_FragColor.a < 0.5) discard;
        ${SURFACE("n")}`;

const BALL_VERTEX = `
    varying vec2 at;
    varying vec3 tint;
    varying vec4 centre; // and radius, in axes of the view
    void main() {
        vec4 c = modelViewMatrix * vec4(instanceMatrix[3].xyz, 1.0);
        centre = vec4(c.xyz, length(instanceMatrix[0].xyz));
        at = position.xy * 1.08; // room for a soft edge
        tint = color;
        c.xy += at * centre.w;
        gl_Position = projectionMatrix * c;
    }`;

const BALL_FRAGMENT = `
    uniform vec2 items;
    uniform mat4 projectionMatrix;
    varying vec2 at;
    varying vec3 tint;
    varying vec4 centre;
    ${SHADE}
    void main() {
        float d = length(at);
        float edge = fwidth(d);
        float cover = 1.0 - smoothstep(1.0 - edge, 1.0, d);
        if (cover <= 0.0) discard;
        vec3 n = vec3(at, sqrt(max(0.0, 1.0 - d * d)));
        gl_FragColor = vec4(shade(tint, n), cover);
        // In a line drawing the end of a rod lies behind it, as flat as it is.
        vec3 front = lines > 0.5 && items.y == float(${END_ITEMS}) ? vec3(0.0, 0.0, -0.05) : n;
        vec4 p = projectionMatrix * vec4(centre.xyz + centre.w * front, 1.0);
        gl_FragDepth = 0.5 * p.z / p.w + 0.5;
        ${END}
    }`;

const ROD_VERTEX = `
    varying float across;
    varying vec3 tint, side, front;
    void main() {
        vec3 start = (modelViewMatrix * vec4(instanceMatrix[3].xyz, 1.0)).xyz;
        vec3 axis = mat3(modelViewMatrix) * instanceMatrix[1].xyz;
        vec3 p = start + axis * position.y;
        vec3 s = cross(axis, p); // across the rod, and square to the line of sight
        side = s / max(length(s), 1e-20);
        vec3 f = cross(side, axis);
        front = f / max(length(f), 1e-20) * (dot(f, p) > 0.0 ? -1.0 : 1.0);
        across = position.x;
        tint = color;
        gl_Position = projectionMatrix * vec4(p + side * across * length(instanceMatrix[0].xyz), 1.0);
    }`;

const ROD_FRAGMENT = `
    varying float across;
    varying vec3 tint, side, front;
    ${SHADE}
    void main() {
        float x = abs(across);
        float cover = 1.0 - smoothstep(1.0 - fwidth(x), 1.0, x) * 0.5;
        vec3 n = normalize(side * across + front * sqrt(max(0.0, 1.0 - x * x)));
        gl_FragColor = vec4(shade(tint, n), cover);
        ${END}
    }`;

// Ellipsoids and cylinders, each the image of the unit ball, or of the cylinder of radius 1 between z = -1 and 1, under a
// matrix with orthogonal columns. The quad covers what they do on the screen: x/w is extreme where (X - u W) D (X - u W) = 0,
// X and W rows of the matrix into clip coordinates, D = diag(1, 1, 1, -1) for the ball and diag(1, 1, 0, -1) for a rim
// (Sigg and others, GPU-based ray-casting of quadratic surfaces, 2006).
const SOLID_VERTEX = `
    flat varying vec3 centre, axisX, axisY, axisZ, tint; // in axes of the view
    varying vec2 sight; // the line of sight is (sight, -1)
    uniform vec2 screen;
    const vec4 D = vec4(1.0, 1.0, RIM ? 0.0 : 1.0, -1.0);
    vec2 extremes(vec4 x, vec4 w) {
        float a = dot(D * w, w);
        float b = dot(D * x, w);
        float root = sqrt(max(0.0, b * b - a * dot(D * x, x)));
        return a < 0.0 ? vec2(b + root, b - root) / a : vec2(-1.0, 1.0); // it reaches behind the eye: all of the screen
    }
    void main() {
        mat4 place = modelViewMatrix * instanceMatrix;
        centre = place[3].xyz; axisX = place[0].xyz; axisY = place[1].xyz; axisZ = place[2].xyz;
        tint = color;
        mat4 clip = projectionMatrix * place;
        vec2 across = vec2(2.0, -2.0);
        vec2 upward = vec2(2.0, -2.0);
        for (int end = -1; end <= 1; end += 2) {
            mat4 m = clip;
            if (RIM) m[3] += float(end) * m[2];
            m = transpose(m);
            vec2 x = extremes(m[0], m[3]);
            vec2 y = extremes(m[1], m[3]);
            across = vec2(min(across.x, x.x), max(across.y, x.y));
            upward = vec2(min(upward.x, y.x), max(upward.y, y.y));
        }
        vec2 p = mix(vec2(across.x, upward.x), vec2(across.y, upward.y), 0.5 * position.xy + 0.5) + position.xy / screen;
        sight = p / vec2(projectionMatrix[0][0], projectionMatrix[1][1]);
        bool shown = centre.z < 0.0 && dot(axisX, axisX) > 0.0;
        gl_Position = shown ? vec4(p, 0.0, 1.0) : vec4(2.0, 2.0, 2.0, 1.0);
    }`;

// In the axes of the thing, where it is a unit ball or cylinder. Quarters in turn lighter and darker, as a centre of mass is
// marked: that a round body spins can then be seen.
const SOLID_FRAGMENT = `
    uniform mat4 projectionMatrix;
    flat varying vec3 centre, axisX, axisY, axisZ, tint;
    varying vec2 sight;
    ${SHADE}
    float part(float inside) { return inside / max(fwidth(inside), 1e-7); }
    void main() {
        vec3 v = vec3(sight, -1.0);
        vec3 near = v * -centre.z - centre; // from a point of the line beside the centre, where digits are not lost
        vec3 ax = axisX / dot(axisX, axisX);
        vec3 ay = axisY / dot(axisY, axisY);
        vec3 az = axisZ / dot(axisZ, axisZ);
        vec3 o = vec3(dot(near, ax), dot(near, ay), dot(near, az));
        vec3 d = vec3(dot(v, ax), dot(v, ay), dot(v, az));
        vec3 round = vec3(1.0, 1.0, RIM ? 0.0 : 1.0);
        float a = max(dot(d * round, d), 1e-12);
        float b = dot(o * round, d);
        float inside = b * b - a * (dot(o * round, o) - 1.0);
        float root = sqrt(max(inside, 0.0));
        float t = (-b - root) / a;
        float cover = part(inside);
        bool cap = false;
        if (RIM) {
            float z = abs(d.z) > 1e-6 ? d.z : 1e-6;
            float enter = (-o.z - sign(z)) / z;
            float leave = (-o.z + sign(z)) / z;
            cover = min(cover, min(part((-b + root) / a - enter), part(leave - t)));
            cap = enter > t;
            t = max(t, enter);
        }
        vec3 hit = v * (t - centre.z);
        vec4 p = projectionMatrix * vec4(hit, 1.0);
        vec3 l = o + t * d;
        vec3 s = clamp(l / max(fwidth(l), 1e-7), -1.0, 1.0);
        float quarters = s.x * s.y * (RIM ? 1.0 : s.z);
        if (!(cover > 0.0) || hit.z >= 0.0 || abs(p.z) > p.w) discard;
        vec3 n = normalize(cap ? az * sign(l.z) : ax * l.x + ay * l.y + (RIM ? vec3(0.0) : az * l.z));
        gl_FragColor = vec4(shade(tint * (0.86 + 0.14 * quarters), n), min(cover, 1.0));
        gl_FragDepth = 0.5 * p.z / p.w + 0.5;
        ${END}
    }`;

function quad(low: number): BufferGeometry {
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new Float32BufferAttribute([-1, low, 0, 1, low, 0, 1, 1, 0, -1, 1, 0], 3));
    geometry.setIndex([0, 1, 2, 0, 2, 3]);
    return geometry;
}

function material(vertex: string, fragment: string, light: Light, own: Record<string, IUniform>, defines = ""): ShaderMaterial {
    // Soft edges through the samples of a pixel, so that the order of drawing does not matter. Both sides: a quad may be
    // turned either way.
    return new ShaderMaterial({
        vertexShader: withMatrices(defines + vertex), fragmentShader: defines + fragment, uniforms: { ...uniforms(light), ...own },
        vertexColors: true, alphaToCoverage: true, side: DoubleSide,
    });
}

export const ballQuad = (): BufferGeometry => quad(-1);
export const rodQuad = (): BufferGeometry => quad(0);
export const ballMaterial = (light: Light) => (own: Record<string, IUniform>): ShaderMaterial => material(BALL_VERTEX, BALL_FRAGMENT, light, own);
export const rodMaterial = (light: Light) => (own: Record<string, IUniform>): ShaderMaterial => material(ROD_VERTEX, ROD_FRAGMENT, light, own);
export const solidMaterial = (light: Light, screen: Vector2, cylinder: boolean) => (own: Record<string, IUniform>): ShaderMaterial =>
    material(SOLID_VERTEX, SOLID_FRAGMENT, light, { ...own, screen: { value: screen } }, `#define RIM ${cylinder}`);
