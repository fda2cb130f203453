// What stands above the floor darkens it: seen from high above, all bodies are a mask, and the floor is darker where that is, a
// little blurred.
import {
    DoubleSide, LinearFilter, Matrix4, Mesh, PerspectiveCamera, PlaneGeometry, ShaderMaterial, WebGLRenderTarget, type Scene, type WebGLRenderer,
} from "three";

export interface Floor { x: [number, number]; y: [number, number]; level: number; up: "y" | "z" } // y: of the other axis on the floor

const FINE = 512; // pixels of the mask, along each side
const HIGH = 40; // times its size above the floor, so that nearly all light falls straight down
const DARK = [0.16, 0.4]; // on light and on dark paper

const VERTEX = `
    uniform mat4 seen;
    varying vec2 at;
    void main() {
        vec4 p = modelMatrix * vec4(position, 1.0);
        vec4 s = seen * p;
        at = 0.5 * s.xy / s.w + 0.5;
        gl_Position = projectionMatrix * viewMatrix * p;
    }`;
const FRAGMENT = `
    uniform sampler2D mask;
    uniform float dark;
    varying vec2 at;
    void main() {
        float sum = 0.0;
        for (int i = -2; i <= 2; i++)
            for (int k = -2; k <= 2; k++)
                sum += step(0.001, texture2D(mask, at + vec2(i, k) * ${(1.6 / FINE).toFixed(6)}).a);
        gl_FragColor = vec4(0.0, 0.0, 0.0, dark * sum / 25.0);
    }`;

export class Shadow {
    readonly mesh: Mesh<PlaneGeometry, ShaderMaterial>;
    private readonly target = new WebGLRenderTarget(FINE, FINE, { minFilter: LinearFilter, magFilter: LinearFilter });
    private readonly camera: PerspectiveCamera;

    constructor({ x, y, level, up }: Floor) {
        const [width, depth] = [x[1] - x[0], y[1] - y[0]];
        const [cx, cy, high] = [(x[0] + x[1]) / 2, (y[0] + y[1]) / 2, HIGH * Math.max(width, depth)];
        this.camera = new PerspectiveCamera((2 * Math.atan(depth / 2 / high) * 180) / Math.PI, width / depth, high / 2, 1.1 * high);
        this.mesh = new Mesh(new PlaneGeometry(width, depth), new ShaderMaterial({
            vertexShader: VERTEX, fragmentShader: FRAGMENT, transparent: true, depthWrite: false, side: DoubleSide,
            uniforms: { seen: { value: new Matrix4() }, mask: { value: this.target.texture }, dark: { value: 0 } },
        }));
        if (up === "z") {
            this.camera.up.set(0, 1, 0);
            this.camera.position.set(cx, cy, level + high);
            this.mesh.position.set(cx, cy, level);
            this.camera.lookAt(cx, cy, level);
        } else {
            this.camera.up.set(0, 0, -1);
            this.camera.position.set(cx, level + high, cy);
            this.mesh.position.set(cx, level, cy);
            this.mesh.rotation.x = -Math.PI / 2;
            this.camera.lookAt(cx, level, cy);
        }
        this.camera.updateMatrixWorld();
        this.camera.updateProjectionMatrix();
        const seen = this.mesh.material.uniforms["seen"].value as Matrix4;
        seen.multiplyMatrices(this.camera.projectionMatrix, this.camera.matrixWorldInverse);
    }

    paint(onDark: boolean): void {
        this.mesh.material.uniforms["dark"].value = DARK[Number(onDark)];
    }

    // Bodies, in layer 0, write their surfaces (line-drawing.ts); what is no body is not visible now.
    draw(renderer: WebGLRenderer, world: Scene): void {
        renderer.setRenderTarget(this.target);
        renderer.render(world, this.camera);
        renderer.setRenderTarget(null);
    }

    dispose(): void {
        this.target.dispose();
        this.mesh.geometry.dispose();
        this.mesh.material.dispose();
    }
}
