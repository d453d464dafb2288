// The parts of three.js that the page of the browser client uses, and those that gltf.js does; .ci/three/make bundles them.
export {
	AnimationClip, AnimationMixer, BackSide, Bone, Box3, BoxGeometry, BufferAttribute, BufferGeometry, CanvasTexture,
	CapsuleGeometry, ClampToEdgeWrapping, Color, ColorManagement, CylinderGeometry, DataArrayTexture, DirectionalLight,
	DoubleSide, DynamicDrawUsage, FileLoader, Float32BufferAttribute, Fog, FrontSide, Group, HemisphereLight,
	ImageBitmapLoader, InstancedBufferAttribute, InstancedBufferGeometry, InstancedMesh, InterleavedBuffer,
	InterleavedBufferAttribute, Interpolant, InterpolateDiscrete, InterpolateLinear, Line, LinearFilter,
	LinearMipmapLinearFilter, LinearMipmapNearestFilter, LinearSRGBColorSpace, LineBasicMaterial, LineLoop, LineSegments,
	Loader, LoaderUtils, LoopOnce, Material, MathUtils, Matrix4, Mesh, MeshBasicMaterial, MeshLambertMaterial,
	MeshPhysicalMaterial, MeshStandardMaterial, MirroredRepeatWrapping, NearestFilter, NearestMipmapLinearFilter,
	NearestMipmapNearestFilter, NumberKeyframeTrack, Object3D, OrthographicCamera, PCFShadowMap, PerspectiveCamera,
	PointLight, Points, PointsMaterial, PropertyBinding, Quaternion, QuaternionKeyframeTrack, RepeatWrapping, REVISION,
	Scene, ShaderMaterial, Skeleton, SkeletonHelper, SkinnedMesh, Sphere, SphereGeometry, SpotLight, Sprite,
	SpriteMaterial, SRGBColorSpace, Texture, TextureLoader, TriangleFanDrawMode, TrianglesDrawMode,
	TriangleStripDrawMode, Vector2, Vector3, VectorKeyframeTrack, WebGLRenderer,
} from "three";
