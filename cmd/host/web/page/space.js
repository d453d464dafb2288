// The one place that converts between the engine's space and the space that three.js draws.
//
// The engine uses Unreal's space: X forward, Y right, Z up, left-handed, in Unreal units (uu, about 2 cm). Its angles are
// radians here: positive pitch looks up, positive yaw turns right (from X to Y), positive roll leans right.
//
// three.js uses X right, Y up, Z backward, right-handed; a camera looks along -Z. Units stay uu. So
//
//	three.x = engine.y    three.y = engine.z    three.z = -engine.x
//
// Both describe the same room, and nothing is mirrored: what is on the right in the engine is on the right of the
// screen. Since one space is left-handed and the other right-handed, a cross product changes its sign: a triangle whose
// corners run clockwise as a person sees them does so in both spaces, but three.js takes triangles that run
// counterclockwise for the front. orient turns each triangle to where its normal points.
//
// Nothing here depends on three.js, so that the checks in ../pagetest run in Node alone. target is whatever has three.js's
// set method: a Vector3 for places, a Quaternion for turns.

// place writes a place or direction of the engine into target.
export function place(x, y, z, target) {
	return target.set(y, z, -x);
}

// turn writes an orientation of the engine, in radians, into target, a quaternion. A thing that it turns has its front
// at -Z, its right at +X and its top at +Y, as a camera of three.js has.
export function turn(pitch, yaw, roll, target) {
	const sx = Math.sin(pitch / 2), cx = Math.cos(pitch / 2);
	const sy = Math.sin(-yaw / 2), cy = Math.cos(-yaw / 2);
	const sz = Math.sin(-roll / 2), cz = Math.cos(-roll / 2);
	return target.set(sx * cy * cz + cx * sy * sz, cx * sy * cz - sx * cy * sz, cx * cy * sz - sx * sy * cz, cx * cy * cz + sx * sy * sz);
}

// extents writes the size of a box in the engine (forward, right, up) into target, in the order of three.js's axes.
export function extents(forward, right, up, target) {
	return target.set(right, up, forward);
}

// places converts an array of places or directions, three numbers each, in place.
export function places(array) {
	for (let i = 0; i + 2 < array.length; i += 3) {
		const x = array[i];
		array[i] = array[i + 1];
		array[i + 1] = array[i + 2];
		array[i + 2] = -x;
	}
	return array;
}

// orient reorders the corners of triangles, in three.js's space, so that each runs counterclockwise seen from where its
// normal points. positions and normals have nine numbers a triangle, pairs (such as texture coordinates) six.
// It returns how many it reordered.
export function orient(positions, normals, pairs) {
	let turned = 0;
	for (let i = 0, j = 0; i + 8 < positions.length; i += 9, j += 6) {
		const ax = positions[i + 3] - positions[i], ay = positions[i + 4] - positions[i + 1], az = positions[i + 5] - positions[i + 2];
		const bx = positions[i + 6] - positions[i], by = positions[i + 7] - positions[i + 1], bz = positions[i + 8] - positions[i + 2];
		const facing = (ay * bz - az * by) * normals[i] + (az * bx - ax * bz) * normals[i + 1] + (ax * by - ay * bx) * normals[i + 2];
		if (facing >= 0) continue;
		turned++;
		swap(positions, i + 3, i + 6, 3);
		swap(normals, i + 3, i + 6, 3);
		swap(pairs, j + 2, j + 4, 2);
	}
	return turned;
}

function swap(array, a, b, count) {
	for (let k = 0; k < count; k++) [array[a + k], array[b + k]] = [array[b + k], array[a + k]];
}

// between is the angle a part of the shorter way from a to b, in radians; part is from 0 to 1.
export function between(a, b, part) {
	const way = (b - a) % (2 * Math.PI);
	return a + part * (way > Math.PI ? way - 2 * Math.PI : way < -Math.PI ? way + 2 * Math.PI : way);
}
