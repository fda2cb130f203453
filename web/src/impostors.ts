// Balls and rods as what they look like instead of what they are: a quad each, turned to the eye, on which the shader draws a
// shaded ball or rod. Four vertices instead of hundreds, and round at any distance: software rendering, where vertices
// are dear, draws a thousand in time. Light is that of three's Lambert material, so they match the meshes beside them.
import { BufferGeometry, DoubleSide, Float32BufferAttribute, ShaderMaterial, type Color, type IUniform, type Vector3 } from "three";
import { withMatrices } from "./batch";

// In axes of the view: x to the right, y up, z to the eye.
export interface Light { up: Vector3; lamp: Vector3; ground: Color; sky: number; strength: number }

function uniforms(light: Light): Record<string, IUniform> {
    return { up: { value: light.up }, lamp: { value: light.lamp }, ground: { value: light.ground }, sky: { value: light.sky }, strength: { value: light.strength } };
}

const SHADE = `
    uniform vec3 up, lamp, ground;
    uniform float sky, strength;
    vec3 shade(vec3 tint, vec3 n) {
        vec3 around = mix(ground, vec3(1.0), 0.5 * dot(n, up) + 0.5) * sky;
        return tint * (around + strength * max(dot(n, lamp), 0.0)) * 0.3183099;
    }`;

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
        vec4 p = projectionMatrix * vec4(centre.xyz + centre.w * n, 1.0);
        gl_FragDepth = 0.5 * p.z / p.w + 0.5;
        #include <colorspace_fragment>
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
        #include <colorspace_fragment>
    }`;

function quad(low: number): BufferGeometry {
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new Float32BufferAttribute([-1, low, 0, 1, low, 0, 1, 1, 0, -1, 1, 0], 3));
    geometry.setIndex([0, 1, 2, 0, 2, 3]);
    return geometry;
}

function material(vertex: string, fragmentShader: string, light: Light, own: Record<string, IUniform>): ShaderMaterial {
    // Soft edges through the samples of a pixel, so that the order of drawing does not matter. Both sides: a quad may be
    // turned either way.
    return new ShaderMaterial({
        vertexShader: withMatrices(vertex), fragmentShader, uniforms: { ...uniforms(light), ...own },
        vertexColors: true, alphaToCoverage: true, side: DoubleSide,
    });
}

export const ballQuad = (): BufferGeometry => quad(-1);
export const rodQuad = (): BufferGeometry => quad(0);
export const ballMaterial = (light: Light) => (own: Record<string, IUniform>): ShaderMaterial => material(BALL_VERTEX, BALL_FRAGMENT, light, own);
export const rodMaterial = (light: Light) => (own: Record<string, IUniform>): ShaderMaterial => material(ROD_VERTEX, ROD_FRAGMENT, light, own);
