// Many things of one form in one draw call: their vertices in one buffer, each with the number of the thing it belongs to,
// and a matrix for each thing in a texture that the vertex shader reads. Not instancing: software renderers take every
// instance as a draw call of its own (measured with SwiftShader: 15 us each; this way a thousand bodies cost a fifth).
import {
    BufferGeometry, Color, DataTexture, Float32BufferAttribute, FloatType, Mesh, DoubleSide, FrontSide, MeshLambertMaterial, NearestFilter, RGBAFormat,
    ShaderMaterial, Uint32BufferAttribute, Vector2, type IUniform, type Material,
} from "three";
import { ITEM, SURFACE, SURFACE_HEAD } from "./line-drawing";

export type Matrices = Float32Array; // 16 numbers for each thing, by columns

const ROW = 64; // things in a row of the texture

// For the head of a vertex shader: three's own chunks then find the matrix where they would find that of an instance.
const READ = `
    #define USE_INSTANCING
    attribute float slot;
    uniform highp sampler2D matrices;
    mat4 instanceMatrix;
    ${ITEM}
    void readMatrix() {
        nameItem();
        int i = int(slot + 0.5);
        ivec2 at = ivec2(4 * (i % ${ROW}), i / ${ROW});
        instanceMatrix = mat4(texelFetch(matrices, at, 0), texelFetch(matrices, at + ivec2(1, 0), 0),
                              texelFetch(matrices, at + ivec2(2, 0), 0), texelFetch(matrices, at + ivec2(3, 0), 0));
    }
`;

export function withMatrices(vertexShader: string): string {
    return (READ + vertexShader).replace("void main() {", "void main() {\n    readMatrix();");
}

// Darker along the edges of the faces, a pixel or so wide at any distance.
const EDGES = `#include <color_fragment>
    vec2 inside = min(vEdge, 1.0 - vEdge) / max(fwidth(vEdge), vec2(1e-6));
    diffuseColor.rgb *= mix(0.35, 1.0, smoothstep(0.5, 1.5, min(inside.x, inside.y)));`;

function placed(own: Record<string, IUniform>, edges: boolean, open: boolean): MeshLambertMaterial {
    const material = new MeshLambertMaterial({ vertexColors: true, side: open ? DoubleSide : FrontSide });
    material.onBeforeCompile = (shader) => {
        Object.assign(shader.uniforms, own);
        shader.vertexShader = withMatrices(shader.vertexShader);
        shader.fragmentShader = SURFACE_HEAD + shader.fragmentShader.replace("#include <dithering_fragment>", SURFACE("normal"));
        if (!edges) return;
        shader.vertexShader = shader.vertexShader
            .replace("#include <common>", "varying vec2 vEdge;\n#include <common>")
            .replace("#include <begin_vertex>", "vEdge = uv;\n#include <begin_vertex>");
        shader.fragmentShader = shader.fragmentShader
            .replace("#include <common>", "varying vec2 vEdge;\n#include <common>")
            .replace("#include <color_fragment>", EDGES);
    };
    material.customProgramCacheKey = () => (edges ? "edges" : "plain");
    return material;
}

// The form so many times over. Its own colours, if it has any, are factors of the thing's.
function repeat(form: BufferGeometry, count: number): BufferGeometry {
    const made = new BufferGeometry();
    const vertices = form.getAttribute("position").count;
    for (const name of ["position", "normal", "uv"]) {
        if (!form.hasAttribute(name)) continue;
        const { array, itemSize } = form.getAttribute(name);
        const all = new Float32Array(array.length * count);
        for (let i = 0; i < count; i++) all.set(array, i * array.length);
        made.setAttribute(name, new Float32BufferAttribute(all, itemSize));
    }
    const slots = new Float32Array(vertices * count);
    for (let i = 0; i < slots.length; i++) slots[i] = Math.floor(i / vertices);
    made.setAttribute("slot", new Float32BufferAttribute(slots, 1));
    made.setAttribute("color", new Float32BufferAttribute(new Float32Array(3 * slots.length), 3));
    if (form.index) {
        const one = form.index.array;
        const all = new Uint32Array(one.length * count);
        for (let i = 0; i < count; i++) for (let k = 0; k < one.length; k++) all[i * one.length + k] = one[k] + i * vertices;
        made.setIndex(new Uint32BufferAttribute(all, 1));
    }
    return made;
}

export interface Look {
    edges?: boolean;
    open?: boolean; // seen from behind, too
    lines: IUniform<number>; // 1: of a line drawing
    items: [number, number]; // the number of its first thing, and from one to the next (line-drawing.ts)
     shader?: (uniforms: Record<string, IUniform>) => ShaderMaterial;
}

export class Batch {
    readonly matrices: Matrices;
    readonly mesh: Mesh<BufferGeometry, Material>;
    private readonly texture: DataTexture;
    private readonly shades: Float32Array | null;
    private readonly vertices: number;

    // The colours are numbers, of which the caller knows what they mean.
    constructor(form: BufferGeometry, readonly colours: number[], look: Look) {
        const rows = Math.max(1, Math.ceil(colours.length / ROW));
        this.matrices = new Float32Array(16 * ROW * rows);
        this.texture = new DataTexture(this.matrices, 4 * ROW, rows, RGBAFormat, FloatType);
        this.texture.minFilter = this.texture.magFilter = NearestFilter;
        this.vertices = form.getAttribute("position").count;
        this.shades = form.hasAttribute("color") ? (form.getAttribute("color").array as Float32Array) : null;
        const own = { matrices: { value: this.texture }, lines: look.lines, items: { value: new Vector2(...look.items) } };
        const material = look.shader ? look.shader(own) : placed(own, look.edges ?? false, look.open ?? false);
        this.mesh = new Mesh(repeat(form, colours.length), material);
        this.mesh.frustumCulled = false; // where things are, only the texture knows
        form.dispose();
    }

    get count(): number { return this.colours.length; }

    moved(): void {
        this.texture.needsUpdate = true;
    }

    paint(colourOf: (index: number, out: Color) => void): void {
        const attribute = this.mesh.geometry.getAttribute("color");
        const all = attribute.array as Float32Array;
        const colour = new Color();
        const each = 3 * this.vertices;
        this.colours.forEach((index, i) => {
            colourOf(index, colour);
            const rgb = [colour.r, colour.g, colour.b];
            for (let k = 0; k < each; k++) all[i * each + k] = rgb[k % 3] * (this.shades ? this.shades[k] : 1);
        });
        attribute.needsUpdate = true;
    }

    dispose(): void {
        this.mesh.geometry.dispose();
        this.mesh.material.dispose();
        this.texture.dispose();
    }
}
