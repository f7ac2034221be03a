//! Compute shaders on another Vulkan driver: what this compiler is compared with.
//!
//! In: SPIR-V, bytes, workgroups. Out: bytes. Everything is synchronous: a dispatch has ended when [`Device::dispatch`]
//! returns, so that nothing is ever freed or read while it is in use. Buffers are those of set 0, numbered from 0.
//!
//! The system's loader reads once per process which driver to use, from `VK_DRIVER_FILES` (`VK_ICD_FILENAMES` before
//! 1.3.207): a process that compares drivers starts one of its own for each.

use ash::vk;
use std::ffi::CStr;
use std::rc::Rc;

/// What went wrong, in words.
pub type Outcome<T> = Result<T, String>;

fn fault(what: &str) -> impl Fn(vk::Result) -> String {
    move |error| format!("{what}: {error}")
}

/// What all objects of a device need for as long as they live.
struct Shared {
    _entry: ash::Entry,
    instance: ash::Instance,
    physical: vk::PhysicalDevice,
    device: ash::Device,
    queue: vk::Queue,
    commands: vk::CommandPool,
    buffer: vk::CommandBuffer,
    fence: vk::Fence,
    memory_type: u32,
}

impl Drop for Shared {
    fn drop(&mut self) {
        // SAFETY: every object that was made from the device holds an `Rc` of this and is gone, and no work is pending.
        unsafe {
            self.device.destroy_fence(self.fence, None);
            self.device.destroy_command_pool(self.commands, None);
            self.device.destroy_device(None);
            self.instance.destroy_instance(None);
        }
    }
}

/// A device of the drivers that the environment chooses.
pub struct Device(Rc<Shared>);

/// Memory that both sides see.
pub struct Buffer {
    shared: Rc<Shared>,
    buffer: vk::Buffer,
    memory: vk::DeviceMemory,
    mapped: *mut u8,
    size: usize,
}

/// A shader, ready to be dispatched.
pub struct Pipeline {
    shared: Rc<Shared>,
    set_layout: vk::DescriptorSetLayout,
    layout: vk::PipelineLayout,
    pipeline: vk::Pipeline,
    pool: vk::DescriptorPool,
    set: vk::DescriptorSet,
    buffers: u32,
    push_size: u32,
}

/// The first queue family that computes.
fn compute_family(instance: &ash::Instance, physical: vk::PhysicalDevice) -> Outcome<u32> {
    // SAFETY: the handle is one of the instance's.
    let families = unsafe { instance.get_physical_device_queue_family_properties(physical) };
    let family = families.iter().position(|family| family.queue_flags.contains(vk::QueueFlags::COMPUTE));
    family.map(|index| index as u32).ok_or_else(|| "the device has no queue for compute".into())
}

/// The first memory type that both sides see without flushes.
fn host_memory(instance: &ash::Instance, physical: vk::PhysicalDevice) -> Outcome<u32> {
    let wanted = vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
    // SAFETY: the handle is one of the instance's.
    let memory = unsafe { instance.get_physical_device_memory_properties(physical) };
    let types = memory.memory_types_as_slice();
    let found = types.iter().position(|kind| kind.property_flags.contains(wanted));
    found.map(|index| index as u32).ok_or_else(|| "the device has no memory that the host sees".into())
}

/// A device and what it works with.
struct Opened {
    physical: vk::PhysicalDevice,
    device: ash::Device,
    queue: vk::Queue,
    commands: vk::CommandPool,
    buffer: vk::CommandBuffer,
    fence: vk::Fence,
    memory_type: u32,
}

/// Opens the device of that number.
fn open_device(instance: &ash::Instance, number: usize) -> Outcome<Opened> {
    // SAFETY: here and below each handle is used with what it was made from, and structures live until the calls return.
    let devices = unsafe { instance.enumerate_physical_devices() }.map_err(fault("no device"))?;
    let physical = *devices.get(number).ok_or("the driver has no device")?;
    let family = compute_family(instance, physical)?;
    let memory_type = host_memory(instance, physical)?;
    let queues = [vk::DeviceQueueCreateInfo::default().queue_family_index(family).queue_priorities(&[1.0])];
    let info = vk::DeviceCreateInfo::default().queue_create_infos(&queues);
    // SAFETY: as above.
    let device = unsafe { instance.create_device(physical, &info, None) }.map_err(fault("vkCreateDevice"))?;
    let flags = vk::CommandPoolCreateFlags::RESET_COMMAND_BUFFER;
    let info = vk::CommandPoolCreateInfo::default().queue_family_index(family).flags(flags);
    // SAFETY: as above.
    let objects = || unsafe {
        let commands = device.create_command_pool(&info, None)?;
        let info = vk::CommandBufferAllocateInfo::default().command_pool(commands).command_buffer_count(1);
        match (device.allocate_command_buffers(&info), device.create_fence(&vk::FenceCreateInfo::default(), None)) {
            (Ok(buffers), Ok(fence)) if !buffers.is_empty() => Ok((commands, buffers[0], fence)),
            (Err(error), _) | (_, Err(error)) => Err(error),
            _ => Err(vk::Result::ERROR_UNKNOWN),
        }
    };
    match objects() {
        Ok((commands, buffer, fence)) => {
            // SAFETY: the device was made with one queue of this family.
            let queue = unsafe { device.get_device_queue(family, 0) };
            Ok(Opened { physical, device, queue, commands, buffer, fence, memory_type })
        }
        Err(error) => {
            // SAFETY: nothing runs on it. What it made so far is lost with it; such a device is not opened again.
            unsafe { device.destroy_device(None) };
            Err(fault("a new device is not usable")(error))
        }
    }
}

impl Device {
    /// Opens the first device. It may be used from the thread that opened it.
    pub fn open() -> Outcome<Device> {
        Device::open_number(0)
    }

    /// Opens all devices, those that cannot be opened aside; at least one.
    pub fn open_all() -> Outcome<Vec<Device>> {
        let mut devices = vec![Device::open()?];
        while let Ok(device) = Device::open_number(devices.len()) {
            devices.push(device);
        }
        Ok(devices)
    }

    fn open_number(number: usize) -> Outcome<Device> {
        // SAFETY: the loader is a Vulkan loader, as its name says.
        let entry = unsafe { ash::Entry::load() };
        let entry = entry.map_err(|error| format!("no Vulkan loader (Debian: libvulkan1): {error}"))?;
        let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_3);
        let info = vk::InstanceCreateInfo::default().application_info(&application);
        // SAFETY: the structures live until the call returns.
        let instance = unsafe { entry.create_instance(&info, None) }.map_err(fault("vkCreateInstance"))?;
        match open_device(&instance, number) {
            Ok(opened) => {
                let Opened { physical, device, queue, commands, buffer, fence, memory_type } = opened;
                let shared =
                    Shared { _entry: entry, instance, physical, device, queue, commands, buffer, fence, memory_type };
                Ok(Device(Rc::new(shared)))
            }
            Err(error) => {
                // SAFETY: what was made of it, if anything, is gone.
                unsafe { instance.destroy_instance(None) };
                Err(error)
            }
        }
    }

    /// Name of the device, its driver and their versions.
    pub fn description(&self) -> String {
        let mut driver = vk::PhysicalDeviceDriverProperties::default();
        let mut all = vk::PhysicalDeviceProperties2::default();
        // SAFETY: asked first without the extension, which devices before 1.2 do not know.
        let version = unsafe { self.0.instance.get_physical_device_properties(self.0.physical) }.api_version;
        if version >= vk::API_VERSION_1_2 {
            all = all.push_next(&mut driver);
        }
        // SAFETY: the chain lives until the call returns.
        unsafe { self.0.instance.get_physical_device_properties2(self.0.physical, &mut all) };
        let device = all.properties;
        let text = |name: &[std::ffi::c_char]| {
            // Fixed arrays with a zero at the end.
            let bytes: Vec<u8> = name.iter().map(|&c| c as u8).collect();
            CStr::from_bytes_until_nul(&bytes).map(|text| text.to_string_lossy().into_owned()).unwrap_or_default()
        };
        let version = device.driver_version;
        let version = format!(
            "{}.{}.{}",
            vk::api_version_major(version),
            vk::api_version_minor(version),
            vk::api_version_patch(version)
        );
        match text(&driver.driver_info) {
            info if info.is_empty() => format!("{}, driver {version}", text(&device.device_name)),
            info => format!("{}, {info}", text(&device.device_name)),
        }
    }

    /// A buffer of zeros.
    pub fn buffer(&self, size: usize) -> Outcome<Buffer> {
        let device = &self.0.device;
        let info = vk::BufferCreateInfo::default().size(size as u64).usage(vk::BufferUsageFlags::STORAGE_BUFFER);
        // SAFETY: each handle is used with the device it is of; the memory is mapped once, for as long as it lives.
        unsafe {
            let buffer = device.create_buffer(&info, None).map_err(fault("vkCreateBuffer"))?;
            let needs = device.get_buffer_memory_requirements(buffer);
            let info =
                vk::MemoryAllocateInfo::default().allocation_size(needs.size).memory_type_index(self.0.memory_type);
            let memory = device.allocate_memory(&info, None).map_err(fault("vkAllocateMemory"))?;
            device.bind_buffer_memory(buffer, memory, 0).map_err(fault("vkBindBufferMemory"))?;
            let mapped = device.map_memory(memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty());
            let mapped = mapped.map_err(fault("vkMapMemory"))?.cast::<u8>();
            std::ptr::write_bytes(mapped, 0, size);
            Ok(Buffer { shared: self.0.clone(), buffer, memory, mapped, size })
        }
    }

    /// Compiles a module's `main`, which uses `buffers` storage buffers and `push_size` bytes of push constants.
    ///
    /// # Safety
    ///
    /// The module must be valid, and its accesses must stay within the buffers of every dispatch: drivers do not check.
    pub unsafe fn pipeline(&self, words: &[u32], buffers: u32, push_size: u32) -> Outcome<Pipeline> {
        let device = &self.0.device;
        let slots: Vec<_> = (0..buffers)
            .map(|binding| {
                vk::DescriptorSetLayoutBinding::default()
                    .binding(binding)
                    .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
                    .descriptor_count(1)
                    .stage_flags(vk::ShaderStageFlags::COMPUTE)
            })
            .collect();
        let pushes = [vk::PushConstantRange::default().stage_flags(vk::ShaderStageFlags::COMPUTE).size(push_size)];
        let sizes =
            [vk::DescriptorPoolSize::default().ty(vk::DescriptorType::STORAGE_BUFFER).descriptor_count(buffers.max(1))];
        // SAFETY: the module is valid, as the caller promises; everything else is used with the device it is of, and the
        // structures live until the calls return.
        unsafe {
            let info = vk::ShaderModuleCreateInfo::default().code(words);
            let module = device.create_shader_module(&info, None).map_err(fault("vkCreateShaderModule"))?;
            let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&slots);
            let set_layout =
                device.create_descriptor_set_layout(&info, None).map_err(fault("vkCreateDescriptorSetLayout"))?;
            let set_layouts = [set_layout];
            let info = vk::PipelineLayoutCreateInfo::default()
                .set_layouts(&set_layouts)
                .push_constant_ranges(&pushes[..usize::from(push_size > 0)]);
            let layout = device.create_pipeline_layout(&info, None).map_err(fault("vkCreatePipelineLayout"))?;
            let stage = vk::PipelineShaderStageCreateInfo::default()
                .stage(vk::ShaderStageFlags::COMPUTE)
                .module(module)
                .name(c"main");
            let info = [vk::ComputePipelineCreateInfo::default().stage(stage).layout(layout)];
            let made = device.create_compute_pipelines(vk::PipelineCache::null(), &info, None);
            device.destroy_shader_module(module, None);
            let pipeline = made.map_err(|(_, error)| fault("vkCreateComputePipelines")(error))?[0];
            let info = vk::DescriptorPoolCreateInfo::default().max_sets(1).pool_sizes(&sizes);
            let pool = device.create_descriptor_pool(&info, None).map_err(fault("vkCreateDescriptorPool"))?;
            let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&set_layouts);
            let set = device.allocate_descriptor_sets(&info).map_err(fault("vkAllocateDescriptorSets"))?[0];
            let shared = self.0.clone();
            Ok(Pipeline { shared, set_layout, layout, pipeline, pool, set, buffers, push_size })
        }
    }

    /// Runs workgroups, and waits until they have run.
    pub fn dispatch(&self, pipeline: &Pipeline, buffers: &[Buffer], push: &[u8], groups: [u32; 3]) -> Outcome<()> {
        if buffers.len() != pipeline.buffers as usize || push.len() != pipeline.push_size as usize {
            return Err("the buffers or push constants are not those that the pipeline was made for".into());
        }
        let of_buffer =
            |buffer: &Buffer| [vk::DescriptorBufferInfo::default().buffer(buffer.buffer).range(vk::WHOLE_SIZE)];
        let infos: Vec<_> = buffers.iter().map(of_buffer).collect();
        let mut writes = vec![];
        for (binding, info) in (0..).zip(&infos) {
            writes.push(
                vk::WriteDescriptorSet::default()
                    .dst_set(pipeline.set)
                    .dst_binding(binding)
                    .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
                    .buffer_info(info),
            );
        }
        let Shared { device, queue, buffer: commands, fence, .. } = &*self.0;
        let (point, all) = (vk::PipelineBindPoint::COMPUTE, vk::PipelineStageFlags::ALL_COMMANDS);
        let barrier = [vk::MemoryBarrier::default()
            .src_access_mask(vk::AccessFlags::SHADER_WRITE)
            .dst_access_mask(vk::AccessFlags::HOST_READ)];
        let begin = vk::CommandBufferBeginInfo::default().flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
        let submitted = [*commands];
        let submits = [vk::SubmitInfo::default().command_buffers(&submitted)];
        // SAFETY: the command buffer and the descriptor set are not in use, as each dispatch is waited for; buffers and
        // pipeline are borrowed until then.
        let run = || unsafe {
            device.update_descriptor_sets(&writes, &[]);
            device.begin_command_buffer(*commands, &begin)?;
            device.cmd_bind_pipeline(*commands, point, pipeline.pipeline);
            device.cmd_bind_descriptor_sets(*commands, point, pipeline.layout, 0, &[pipeline.set], &[]);
            if !push.is_empty() {
                device.cmd_push_constants(*commands, pipeline.layout, vk::ShaderStageFlags::COMPUTE, 0, push);
            }
            device.cmd_dispatch(*commands, groups[0], groups[1], groups[2]);
            let flags = vk::DependencyFlags::empty();
            device.cmd_pipeline_barrier(*commands, all, vk::PipelineStageFlags::HOST, flags, &barrier, &[], &[]);
            device.end_command_buffer(*commands)?;
            device.queue_submit(*queue, &submits, *fence)?;
            device.wait_for_fences(&[*fence], true, u64::MAX)?;
            device.reset_fences(&[*fence])
        };
        run().map_err(fault("a dispatch failed"))
    }
}

impl Buffer {
    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: mapped for as long as the buffer lives, written in full when it was made, and no dispatch is running.
        unsafe { std::slice::from_raw_parts(self.mapped, self.size) }
    }

    /// The bytes, to be written.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above, and borrowed exclusively.
        unsafe { std::slice::from_raw_parts_mut(self.mapped, self.size) }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: no dispatch is running; freeing unmaps.
        unsafe {
            self.shared.device.destroy_buffer(self.buffer, None);
            self.shared.device.free_memory(self.memory, None);
        }
    }
}

impl Drop for Pipeline {
    fn drop(&mut self) {
        let device = &self.shared.device;
        // SAFETY: no dispatch is running; the pool takes its set with it.
        unsafe {
            device.destroy_descriptor_pool(self.pool, None);
            device.destroy_pipeline(self.pipeline, None);
            device.destroy_pipeline_layout(self.layout, None);
            device.destroy_descriptor_set_layout(self.set_layout, None);
        }
    }
}
