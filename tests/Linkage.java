import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.Collections;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import org.apache.xbean.asm9.ClassReader;
import org.apache.xbean.asm9.ClassVisitor;
import org.apache.xbean.asm9.Handle;
import org.apache.xbean.asm9.MethodVisitor;
import org.apache.xbean.asm9.Opcodes;
import org.apache.xbean.asm9.Type;

/**
 * Prints what a jar calls or reads in Spark and Scala and the class path does not have, a line each.
 *
 * <p>{@code java -cp 'FOLDER:SPARK/jars/*:JAR' Linkage JAR}. A call that no test makes fails too, which
 * matters for patch releases: the jar of a minor is compiled against the newest of them.
 */
public class Linkage {
  private static final Set<String> missing = new TreeSet<>();
  private static String reader;

  private static boolean has(Class<?> type, String name, String descriptor) {
    if (type == null) return false;
    for (Field f : type.getDeclaredFields())
      if (f.getName().equals(name) && Type.getDescriptor(f.getType()).equals(descriptor)) return true;
    for (Constructor<?> c : type.getDeclaredConstructors())
      if (name.equals("<init>") && Type.getConstructorDescriptor(c).equals(descriptor)) return true;
    for (Method m : type.getDeclaredMethods())
      if (m.getName().equals(name) && Type.getMethodDescriptor(m).equals(descriptor)) return true;
    if (name.equals("<init>")) return false;
    for (Class<?> parent : type.getInterfaces()) if (has(parent, name, descriptor)) return true;
    return has(type.isInterface() ? Object.class : type.getSuperclass(), name, descriptor);
  }

  private static Class<?> load(String name) throws ClassNotFoundException {
    return Class.forName(name.replace('/', '.'), false, Linkage.class.getClassLoader());
  }

  private static void check(String owner, String name, String descriptor) {
    if (!owner.startsWith("org/apache/spark/") && !owner.startsWith("scala/")) return;
    try {
      if (has(load(owner), name, descriptor)) return;
    } catch (ClassNotFoundException e) {
      // reported as missing
    } catch (NoClassDefFoundError e) {
      return; // the class names another in a signature: an optional part of Spark
    }
    missing.add(owner + "." + name + descriptor + " in " + reader);
  }

  public static void main(String[] arguments) throws Exception {
    try (JarFile jar = new JarFile(arguments[0])) {
      for (JarEntry entry : Collections.list(jar.entries())) {
        if (!entry.getName().endsWith(".class")) continue;
        reader = entry.getName();
        new ClassReader(jar.getInputStream(entry)).accept(new Classes(), 0);
      }
    }
    missing.forEach(System.out::println);
  }

  private static final class Classes extends ClassVisitor {
    Classes() {
      super(Opcodes.ASM9);
    }

    @Override
    public MethodVisitor visitMethod(
        int access, String name, String descriptor, String signature, String[] exceptions) {
      return new Calls();
    }
  }

  private static final class Calls extends MethodVisitor {
    Calls() {
      super(Opcodes.ASM9);
    }

    @Override
    public void visitMethodInsn(
        int opcode, String owner, String name, String descriptor, boolean isInterface) {
      check(owner, name, descriptor);
    }

    @Override
    public void visitFieldInsn(int opcode, String owner, String name, String descriptor) {
      check(owner, name, descriptor);
    }

    @Override
    public void visitInvokeDynamicInsn(
        String name, String descriptor, Handle bootstrap, Object... arguments) {
      for (Object argument : arguments)
        if (argument instanceof Handle call)
          check(call.getOwner(), call.getName(), call.getDesc());
    }
  }
}
