// Lines of a width in pixels, for traces: each piece a quad that the shader spreads on the screen, all in one buffer. (three's
// own wide lines are instances, which software renderers draw one by one.)
import {
    BufferAttribute, BufferGeometry, Color, DoubleSide, DynamicDrawUsage, Float32BufferAttribute, Mesh, ShaderMaterial, Vector2,
} from "three";

const VERTEX = `
    attribute vec3 from, to;
    uniform vec2 screen; // in pixels
    uniform float width;
    void main() {
        vec4 p = projectionMatrix * modelViewMatrix * vec4(from, 1.0);
        vec4 q = projectionMatrix * modelViewMatrix * vec4(to, 1.0);
        vec2 d = (q.xy / q.w - p.xy / p.w) * screen;
        float span = length(d);
        d = span > 1e-6 ? d / span : vec2(1.0, 0.0);
        vec4 c = mix(p, q, position.y);
        // A little longer at both ends, which closes the joints.
        vec2 spread = vec2(-d.y, d.x) * position.x + d * (position.y - 0.5) * 0.8;
        c.xy += spread * width / screen * c.w;
        gl_Position = c;
    }`;

const FRAGMENT = `
    uniform vec3 tint;
    uniform float opacity;
    void main() {
        gl_FragColor = vec4(tint, opacity);
        #include <colorspace_fragment>
    }`;

export class Ribbon {
    readonly mesh: Mesh<BufferGeometry, ShaderMaterial>;

    constructor(geometry: BufferGeometry, width: number, opacity: number, screen: Vector2) {
        const uniforms = { screen: { value: screen }, width: { value: width }, tint: { value: new Color() }, opacity: { value: opacity } };
        this.mesh = new Mesh(geometry, new ShaderMaterial({
            vertexShader: VERTEX, fragmentShader: FRAGMENT, uniforms, transparent: opacity < 1, depthWrite: opacity === 1, side: DoubleSide,
        }));
        this.mesh.frustumCulled = false;
    }

    paint(colour: string): void {
        (this.mesh.material.uniforms["tint"].value as Color).set(colour);
    }

    // How many of its pieces are drawn.
    show(pieces: number): void {
        this.mesh.geometry.setDrawRange(0, 6 * pieces);
    }

    dispose(): void {
        this.mesh.geometry.dispose();
        this.mesh.material.dispose();
    }
}

const CORNERS = [-1, 0, 0, 1, 0, 0, 1, 1, 0, -1, 1, 0];

// The pieces between points, three numbers each.
export function pieces(points: Float32Array): BufferGeometry {
    const count = points.length / 3 - 1;
    const from = new Float32Array(12 * count);
    const to = new Float32Array(12 * count);
    const corners = new Float32Array(12 * count);
    const index = new Uint32Array(6 * count);
    for (let i = 0; i < count; i++) {
        for (let k = 0; k < 4; k++) {
            from.set(points.subarray(3 * i, 3 * i + 3), 12 * i + 3 * k);
            to.set(points.subarray(3 * i + 3, 3 * i + 6), 12 * i + 3 * k);
        }
        corners.set(CORNERS, 12 * i);
        index.set([4 * i, 4 * i + 1, 4 * i + 2, 4 * i, 4 * i + 2, 4 * i + 3], 6 * i);
    }
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new Float32BufferAttribute(corners, 3));
    geometry.setAttribute("from", new Float32BufferAttribute(from, 3).setUsage(DynamicDrawUsage));
    geometry.setAttribute("to", new Float32BufferAttribute(to, 3).setUsage(DynamicDrawUsage));
    geometry.setIndex(new BufferAttribute(index, 1));
    return geometry;
}

// A second geometry on the same numbers, of which another part may be drawn.
export function share(geometry: BufferGeometry): BufferGeometry {
    const made = new BufferGeometry();
    for (const name of ["position", "from", "to"]) made.setAttribute(name, geometry.getAttribute(name));
    made.setIndex(geometry.index);
    return made;
}

// Moves the only piece of a geometry.
export function setPiece(geometry: BufferGeometry, from: ArrayLike<number>, to: ArrayLike<number>): void {
    for (const [name, point] of [["from", from], ["to", to]] as const) {
        const attribute = geometry.getAttribute(name);
        for (let k = 0; k < 4; k++) attribute.setXYZ(k, point[0], point[1], point[2]);
        attribute.needsUpdate = true;
    }
}
