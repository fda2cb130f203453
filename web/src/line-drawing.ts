// A picture in space as the line drawing of a textbook: white bodies, dark lines. Bodies are first drawn into textures that say
// which body is there, how its surface is turned and how deep it lies; lines are where one of these jumps.
import {
    Color, DepthTexture, Mesh, NearestFilter, OrthographicCamera, PlaneGeometry, Scene, ShaderMaterial, SRGBColorSpace, UnsignedIntType, Vector2,
    WebGLRenderTarget, type PerspectiveCamera, type WebGLRenderer,
} from "three";

export const OVERLAY = 1; // the layer of what is no body: forces, traces
export const END_ITEMS = 0.5; // from one end of a rod to the next
const HALF = 0.75; // of a line's width, in pixels of the page
const ROUGH = 0.01; // of the scene: a jump in depth

// For the end of a fragment shader of a body, with its normal n in axes of the view: 0 is nothing, the ink of what is drawn dark
// all over comes next.
export const SURFACE_HEAD = `
    uniform float lines;
    varying float item;
`;
export const SURFACE = (normal: string): string => `if (lines > 0.5) gl_FragColor = vec4(${normal} * 0.5 + 0.5, item);`;
export const ITEM = `
    uniform vec2 items; // which this batch has: the first, and the number for each slot; negative: ink
    varying float item;
    void nameItem() { item = items.y < 0.0 ? 1.0 / 255.0 : (2.0 + mod(floor(items.x + items.y * slot + 0.25) * 37.0, 253.0)) / 255.0; }`;

const FRAGMENT = `
    uniform highp sampler2D surface, depth;
    uniform vec2 size; // of the textures
    uniform float reach, near, far, rough;
    uniform int parts;
    uniform vec3 ink, paper;
    varying vec2 at;
    float far_off(vec2 p) {
        float d = 2.0 * texture2D(depth, p).r - 1.0;
        return 2.0 * near * far / (far + near - d * (far - near));
    }
    bool other(vec4 a, vec4 b) {
        return abs(a.a - b.a) > 0.5 / 255.0 || dot(a.rgb * 2.0 - 1.0, b.rgb * 2.0 - 1.0) < 0.85 && a.a > 0.0;
    }
    bool jumps(vec4 c, vec2 p, vec2 d) {
        vec4 a = texture2D(surface, p - d);
        vec4 b = texture2D(surface, p + d);
        if (other(c, a) || other(c, b)) return true;
        return c.a > 0.0 && abs(far_off(p - d) + far_off(p + d) - 2.0 * far_off(p)) > rough;
    }
    void main() {
        vec4 sum = vec4(0.0);
        vec2 r = vec2(reach) / size;
        for (int i = 0; i < parts * parts; i++) {
            vec2 p = at + (vec2(i % parts, i / parts) + 0.5 - 0.5 * float(parts)) / size;
            vec4 c = texture2D(surface, p);
            bool dark = abs(c.a - 1.0 / 255.0) < 0.5 / 255.0 || jumps(c, p, vec2(r.x, 0.0)) || jumps(c, p, vec2(0.0, r.y))
                || jumps(c, p, 0.7 * r) || jumps(c, p, vec2(0.7, -0.7) * r);
            sum += dark ? vec4(ink, 1.0) : c.a > 0.0 ? vec4(paper, 1.0) : vec4(0.0);
        }
        gl_FragColor = sum / float(parts * parts); // premultiplied, as the canvas has it
        gl_FragDepth = texture2D(depth, at).r;
    }`;

export class LineDrawing {
    private readonly target = new WebGLRenderTarget(1, 1, {
        minFilter: NearestFilter, magFilter: NearestFilter, depthTexture: new DepthTexture(1, 1, UnsignedIntType),
    });
    private readonly quad = new Mesh(new PlaneGeometry(2, 2), new ShaderMaterial({
        vertexShader: "varying vec2 at; void main() { at = uv; gl_Position = vec4(position.xy, 0.0, 1.0); }", fragmentShader: FRAGMENT, transparent: true,
        uniforms: {
            surface: { value: this.target.texture }, depth: { value: this.target.depthTexture }, size: { value: new Vector2() }, reach: { value: 1 },
            near: { value: 1 }, far: { value: 1 }, rough: { value: 1 }, parts: { value: 1 }, ink: { value: new Color() }, paper: { value: new Color() },
        },
    }));
    private readonly scene = new Scene();
    private readonly camera = new OrthographicCamera();

    constructor() {
        this.quad.frustumCulled = false;
        this.quad.material.premultipliedAlpha = true;
        this.scene.add(this.quad);
    }

    resize(width: number, height: number, ratio: number): void {
        const parts = ratio < 1.5 ? 2 : 1; // as fine as the screen, or twice
        this.target.setSize(Math.round(width * ratio * parts), Math.round(height * ratio * parts));
        const { uniforms } = this.quad.material;
        (uniforms["size"].value as Vector2).set(this.target.width, this.target.height);
        uniforms["reach"].value = Math.max(1, HALF * ratio * parts);
        uniforms["parts"].value = 2;
    }

    // World: bodies in layer 0, which write their surfaces if `lines` is set, what lies above them in layer OVERLAY.
    render(renderer: WebGLRenderer, world: Scene, camera: PerspectiveCamera, scale: number, ink: string, paper: string): void {
        const { uniforms } = this.quad.material;
        uniforms["near"].value = camera.near;
        uniforms["far"].value = camera.far;
        uniforms["rough"].value = ROUGH * scale;
        for (const [name, colour] of [["ink", ink], ["paper", paper]] as const) {
            const { r, g, b } = new Color(colour).getRGB({ r: 0, g: 0, b: 0 }, SRGBColorSpace);
            (uniforms[name].value as Color).setRGB(r, g, b);
        }
        camera.layers.set(0);
        renderer.setRenderTarget(this.target);
        renderer.render(world, camera);
        renderer.setRenderTarget(null);
        renderer.render(this.scene, this.camera);
        camera.layers.set(OVERLAY);
        renderer.autoClear = false;
        renderer.render(world, camera);
        renderer.autoClear = true;
        camera.layers.enableAll();
    }

    dispose(): void {
        this.target.dispose();
        this.quad.geometry.dispose();
        this.quad.material.dispose();
    }
}
