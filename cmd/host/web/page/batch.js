// Batch is one geometry, drawn by one call for all actors that have it. This file also has the materials of all
// shapes.

import { Color, DynamicDrawUsage, InstancedMesh, MeshLambertMaterial } from "./vendor/three.js";

// shining makes a material of three.js draw the share of its color that glows: attribute glow.
export function shining(material) {
	material.onBeforeCompile = (shader) => {
		shader.vertexShader = `attribute float glow;\nvarying float vGlow;\n${shader.vertexShader}`.replace("#include <begin_vertex>", "#include <begin_vertex>\n\tvGlow = glow;");
		shader.fragmentShader = `varying float vGlow;\n${shader.fragmentShader}`.replace("#include <emissivemap_fragment>", "#include <emissivemap_fragment>\n\ttotalEmissiveRadiance += diffuseColor.rgb * vGlow;");
	};
	return material;
}

// shapeMaterial is flat-shaded, with the color of each corner, and a glowing share of it.
export function shapeMaterial(clear) {
	return shining(new MeshLambertMaterial({ flatShading: true, vertexColors: true, transparent: clear, depthWrite: !clear }));
}

const white = new Color(0xffffff);

export class Batch {
	constructor(scene, geometry, material) {
		this.scene = scene;
		this.geometry = geometry;
		this.material = material;
		this.mesh = null;
		this.grow(8);
	}

	grow(capacity) {
		const before = this.mesh;
		const mesh = new InstancedMesh(this.geometry, this.material, capacity);
		mesh.instanceMatrix.setUsage(DynamicDrawUsage);
		mesh.setColorAt(0, white);
		mesh.instanceColor.setUsage(DynamicDrawUsage);
		mesh.castShadow = !this.material.transparent;
		mesh.receiveShadow = true;
		mesh.frustumCulled = false;
		mesh.matrixAutoUpdate = false;
		mesh.count = 0;
		mesh.visible = false;
		if (before) {
			mesh.instanceMatrix.array.set(before.instanceMatrix.array);
			mesh.instanceColor.array.set(before.instanceColor.array);
			mesh.count = before.count;
			this.scene.remove(before);
			before.dispose();
		}
		this.capacity = capacity;
		this.mesh = mesh;
		this.scene.add(mesh);
	}

	begin() {
		this.mesh.count = 0;
	}

	add(matrix, color) {
		if (this.mesh.count === this.capacity) this.grow(2 * this.capacity);
		this.mesh.setMatrixAt(this.mesh.count, matrix);
		this.mesh.setColorAt(this.mesh.count++, color ?? white);
	}

	end() {
		const { instanceMatrix: m, instanceColor: c, count } = this.mesh;
		this.mesh.visible = count > 0;
		if (!count) return;
		for (const [attribute, width] of [[m, 16], [c, 3]]) {
			attribute.clearUpdateRanges();
			attribute.addUpdateRange(0, count * width);
			attribute.needsUpdate = true;
		}
	}

	// release frees the graphics card's resources, which are created again when drawn.
	release() {
		this.mesh.dispose();
		this.geometry.dispose();
	}

	dispose() {
		this.scene.remove(this.mesh);
		this.release();
	}
}
