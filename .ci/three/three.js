// The parts of three.js that the page of the browser client uses; .ci/three/make bundles them.
export {
	AnimationMixer, BackSide, BoxGeometry, BufferAttribute, BufferGeometry, CanvasTexture, CapsuleGeometry, Color,
	CylinderGeometry, DataArrayTexture, DirectionalLight, DoubleSide, DynamicDrawUsage, Fog, Group, HemisphereLight,
	InstancedBufferAttribute, InstancedBufferGeometry, InstancedMesh, LinearFilter, LinearMipmapLinearFilter, LoopOnce,
	Matrix4, Mesh, MeshLambertMaterial, PCFShadowMap, PerspectiveCamera, PointLight, Quaternion, REVISION,
	RepeatWrapping, SRGBColorSpace, Scene, ShaderMaterial, SphereGeometry, Sprite, SpriteMaterial, Texture, Vector3,
	WebGLRenderer,
} from "three";
export { GLTFLoader } from "three/examples/jsm/loaders/GLTFLoader.js";
export { clone } from "three/examples/jsm/utils/SkeletonUtils.js";
