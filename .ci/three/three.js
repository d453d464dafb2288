// The parts of three.js that the page of the browser client uses; .ci/three/make bundles them.
export {
	BackSide, BoxGeometry, BufferAttribute, BufferGeometry, CanvasTexture, CapsuleGeometry, Color, CylinderGeometry,
	DirectionalLight, DoubleSide, DynamicDrawUsage, Fog, HemisphereLight, InstancedBufferAttribute,
	InstancedBufferGeometry, InstancedMesh, Matrix4, Mesh, MeshLambertMaterial, PCFShadowMap, PerspectiveCamera,
	PointLight, Quaternion, REVISION, Scene, ShaderMaterial, SphereGeometry, Sprite, SpriteMaterial, Vector3,
	WebGLRenderer,
} from "three";
