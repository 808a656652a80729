package javax.annotation;

/** The annotation of javax.annotation-api, which Java itself had until version 10. */
public @interface Generated {
  String[] value();

  String date() default "";

  String comments() default "";
}
